// A plugin of QEMU that counts the instructions of a program on one thread, and prints them at its end.
//
// QEMU's header for plugins is in few distributions, so the part of its interface that is used is declared here
// (version 1 of it, QEMU 4.2 to 8.2).
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct block;
extern void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct block* block));
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct block* block, int operation, void* number, uint64_t value);
extern size_t qemu_plugin_tb_n_insns(const struct block* block);
extern void qemu_plugin_register_atexit_cb(uint64_t id, void (*at_exit)(uint64_t id, void* data), void* data);

static uint64_t executed;

static void count_block(uint64_t id, struct block* block) {
  enum { kAdd = 0 };
  qemu_plugin_register_vcpu_tb_exec_inline(block, kAdd, &executed, qemu_plugin_tb_n_insns(block));
}

static void print(uint64_t id, void* data) {
  fprintf(stderr, "instructions: %llu\n", (unsigned long long)executed);
}

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void* info, int argc, char** argv) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
