// For another kind of device: it is not looked at, since there are programs for HIP.
#error "this is not for HIP"
