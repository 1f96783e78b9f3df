/* no_devices.c -- of libomptarget, what a program needs where there is no device: each launch takes the fallback,
 * which is the same code. The library itself would bring all of LLVM along. */
void __tgt_register_lib(void *what) { (void)what; }
void __tgt_unregister_lib(void *what) { (void)what; }
int __tgt_target_kernel(void) { return 1; }
void __tgt_target_data_begin_mapper(void) {}
void __tgt_target_data_end_mapper(void) {}
void __tgt_target_data_update_mapper(void) {}
int omp_get_num_devices(void) { return 0; }
const char *omp_get_uid_from_device(void) { return 0; }
int omp_target_associate_ptr(void) { return 1; }
int omp_target_disassociate_ptr(void) { return 1; }
