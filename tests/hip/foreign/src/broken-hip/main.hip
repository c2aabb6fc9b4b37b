// Does not compile.
#error "this is no program"
