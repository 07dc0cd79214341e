// Unwinds with libdwfl of elfutils.
#include "symbols/unwinder.hpp"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "base/regular_file.hpp"
#include "symbols/code_file.hpp"
#include "symbols/mapped_elf.hpp"

namespace tacho::symbols {
namespace {

constexpr std::size_t kMostFrames = 256;
// Bytes. An address that is further behind the copy belongs to no caller's frame.
constexpr std::uint64_t kLargestFrame = std::uint64_t{1} << 20;
// Stands for a register that is not known, as an address near which there is no stack. libdwfl
// takes 0 for the end of all frames.
constexpr std::uint64_t kUnknown = 16;

// Tables from DWARF's number of a register (the psABI of each architecture) to the kernel's number
// (arch/*/include/uapi/asm/perf_regs.h).
constexpr std::array kX86 = {0, 2, 3, 1, 7, 6, 4, 5, 8};
constexpr std::array kX86Wide = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
constexpr std::size_t kFrameOfX86 = 6, kStackOfX86 = 7, kReturnOfX86 = 16;  // in kX86Wide
constexpr std::array kArm = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::array kArmWide = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
struct Registers {
  std::string_view machine;  // the beginning of the name from uname(2)
  bool wide = false;
  std::span<const int> numbers;
  int stack = 0, at = 0;  // the kernel's numbers of the stack pointer and the instruction pointer
  bool is_x86_64() const { return wide && machine == "x86_64"; }
};
constexpr std::array kKnown = {
    Registers{"x86_64", true, kX86Wide, 7, 8}, Registers{"x86_64", false, kX86, 7, 8},
    Registers{"i", false, kX86, 7, 8},         Registers{"aarch64", true, kArmWide, 31, 32},
    Registers{"aarch64", false, kArm, 13, 15}, Registers{"arm", false, kArm, 13, 15}};

// Guesses the machine of a recording that does not name it, because its writer was killed. perf
// asks for registers 12 to 15 on ARM. On x86 these are segment registers, which can't be copied.
std::string_view guess_machine(std::uint64_t mask) {
  constexpr std::uint64_t kSegments = 0xf000;
  return (mask & kSegments) == 0 ? "x86_64" : "aarch64";
}

// The value of a register; 0 if it was not copied. libdwfl can't represent unknown registers.
std::uint64_t value_of(const StackCopy& copy, int number) {
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(number);
  if ((copy.mask & bit) == 0) return 0;
  const auto index = static_cast<std::size_t>(std::popcount(copy.mask & (bit - 1)));
  return index < copy.registers.size() ? copy.registers[index] : 0;
}

struct KnownFile {
  LoadedFile loaded;
  CodeFile code;
};

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

class DwflUnwinder final : public Unwinder {
 public:
  explicit DwflUnwinder(std::string machine) : machine_(std::move(machine)) {}

  UnwoundStack unwind(const StackCopy& copy, const Find& find) override {
    registers_ =
        registers_of(machine_.empty() ? guess_machine(copy.mask) : machine_, copy.is_64bit);
    if (registers_ == nullptr || copy.registers.empty()) return {};
    copy_ = &copy;
    find_ = &find;
    frame_pointer_ = 0;
    walk();
    if (!lost_register_ || !registers_->is_x86_64()) return {std::move(frames_), cut_};
    UnwoundStack certain{frames_, cut_};
    const std::uint64_t at = frames_.size() == 1 ? frames_.front() : frames_.back() - 1;
    const std::uint64_t begin = frame_begin_;
    frame_pointer_ = find_frame_pointer(at, begin);
    if (frame_pointer_ == 0) return certain;
    walk();
    if (!explains_calls(at, begin)) return certain;
    return {std::move(frames_), cut_};
  }

  static const Registers* registers_of(std::string_view machine, bool wide) {
    const auto* found = std::ranges::find_if(kKnown, [&](const Registers& each) {
      return machine.starts_with(each.machine) && each.wide == wide;
    });
    return found == kKnown.end() ? nullptr : found;
  }

 private:
  void walk() {
    walk_with_known_files();
    // The process has another file at an address than in an earlier stack: start again without the
    // known files.
    if (stale_) walk_with_known_files();
  }

  void walk_with_known_files() {
    frames_.clear();
    cut_ = lost_register_ = false;
    frame_begin_ = value_of(*copy_, registers_->stack);
    last_read_ = {};
    returns_.clear();
    if (stale_ || !dwfl_) {
      files_.clear();
      guards_.clear();
      dwfl_.reset(dwfl_begin(&kCallbacks));
      stale_ = attached_ = false;
      if (!dwfl_) return;
    }
    const std::uint64_t at = value_of(*copy_, registers_->at);
    report(at);
    if (stale_) return;
    // libdwfl takes the architecture from a file. It can't unwind without any file.
    attached_ = attached_ || dwfl_attach_state(dwfl_.get(), nullptr, kThread, &kThreads, this);
    caller_ = attached_ && registers_->is_x86_64() ? caller_without_frame(at) : 0;
    if (caller_ != 0) {
      frames_.push_back(at);
      report(caller_ - 1);
    }
    if (attached_ && !stale_) dwfl_getthread_frames(dwfl_.get(), kThread, add_frame, this);
    if (frames_.empty()) frames_.push_back(at);
  }

  // Whether the file describes the frames at this address (call frame information).
  bool describes_frames(std::uint64_t address) const {
    Dwfl_Module* const module = dwfl_addrmodule(dwfl_.get(), address);
    if (module == nullptr) return false;
    for (const auto cfi_of : {dwfl_module_eh_cfi, dwfl_module_dwarf_cfi}) {
      Dwarf_Addr bias = 0;
      Dwarf_CFI* const cfi = cfi_of(module, &bias);
      Dwarf_Frame* frame = nullptr;
      if (cfi == nullptr || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0) continue;
      std::free(frame);
      return true;
    }
    return false;
  }

  // The address to which code returns whose frame is not described, if it has none: a call pushed
  // the address last. 0 if that is not certain. libdwfl would take any frame pointer. glibc's
  // system call in clone3() is such code, in which posix_spawn() waits for the child.
  std::uint64_t caller_without_frame(std::uint64_t at) {
    Dwarf_Word caller = 0;
    if (dwfl_addrmodule(dwfl_.get(), at) == nullptr || describes_frames(at) ||
        !read_memory(nullptr, value_of(*copy_, registers_->stack), &caller, this) || caller == 0)
      return 0;
    report(caller - 1);
    return !stale_ && describes_frames(caller - 1) && calls_undescribed(caller, at) ? caller : 0;
  }

  // The file at an address; nullptr if there is none.
  KnownFile* file_at(std::uint64_t address) {
    if (dwfl_addrmodule(dwfl_.get(), address) == nullptr) report(address);
    const auto found = files_.find(dwfl_addrmodule(dwfl_.get(), address));
    return found == files_.end() ? nullptr : &found->second;
  }

  bool follows_call(std::uint64_t address) {
    const KnownFile* const file = file_at(address - 1);
    return file != nullptr && file->code.follows_call(address - file->loaded.bias);
  }

  // Whether the instruction before the address `back` calls the function at `inside`; nullopt if
  // it calls through a pointer, or nothing is known of the function.
  std::optional<bool> calls(std::uint64_t back, std::uint64_t inside) {
    KnownFile* const caller = file_at(back - 1);
    KnownFile* const callee = file_at(inside);
    if (caller == nullptr || callee == nullptr) return std::nullopt;
    const auto called = caller->code.callee_before(back - caller->loaded.bias);
    const auto function = callee->code.described_before(inside - callee->loaded.bias);
    if (!called || !function || !function->has(inside - callee->loaded.bias)) return std::nullopt;
    if (!called->import.empty()) return callee->code.exports(called->import, function->begin);
    return caller == callee && called->address == function->begin;
  }

  // The same where the frames of `inside` are not described. Of the code before it, at most the
  // beginning of the function is.
  bool calls_undescribed(std::uint64_t back, std::uint64_t inside) {
    KnownFile* const file = file_at(inside);
    if (file == nullptr || file_at(back - 1) != file) return false;
    const auto called = file->code.callee_before(back - file->loaded.bias);
    const auto before = file->code.described_before(inside - file->loaded.bias);
    return called && before && called->import.empty() && called->address >= before->begin &&
           called->address <= inside - file->loaded.bias;
  }

  // Visits the places from the address `begin` on where a function may have saved the frame pointer
  // of its caller: right below an address to which a call returns. Ends if `visit` returns false.
  // `visit` gets the place, what was saved, and that address.
  template <typename Visit>
  void visit_calls(std::uint64_t begin, Visit visit) {
    constexpr std::uint64_t kAlignment = 16, kSaved = sizeof(Dwarf_Word);  // bytes
    const std::uint64_t start = value_of(*copy_, registers_->stack);
    for (std::uint64_t place = (begin + kAlignment - 1) / kAlignment * kAlignment;
         place - start + 2 * kSaved <= copy_->stack.size(); place += kAlignment) {
      Dwarf_Word saved = 0, back = 0;
      if (read_memory(nullptr, place, &saved, this) &&
          read_memory(nullptr, place + kSaved, &back, this) && back != 0 && follows_call(back) &&
          !visit(place, saved, back))
        return;
    }
  }

  // Whether the word at this place leads on to a frame that is further out.
  bool seems_saved(std::uint64_t place, std::uint64_t word) const {
    const std::uint64_t end = value_of(*copy_, registers_->stack) + copy_->stack.size();
    return word > place && word < end;
  }

  // The frame pointer of the function at `at`, if it is not known: where the first call from its
  // frame on has left its return address, if this call leads to the function. Else 0. No function
  // further in has saved this register, so all of them had it. What calls of others have left that
  // are over does not count: they saved no frame pointer.
  std::uint64_t find_frame_pointer(std::uint64_t at, std::uint64_t begin) {
    std::uint64_t found = 0;
    visit_calls(begin, [&](std::uint64_t place, std::uint64_t saved, std::uint64_t back) {
      const auto leads_here = calls(back, at);
      if (leads_here == true) found = place;
      return leads_here == false && !seems_saved(place, saved);
    });
    return found;
  }

  // Whether the walk came through each call of the function at `at` that is on the stack, and
  // through each function that seems to have saved a frame pointer. If not, one of them may be a
  // call that is over, and the walk may have begun with that one.
  bool explains_calls(std::uint64_t at, std::uint64_t begin) {
    bool all = true;
    visit_calls(begin, [&](std::uint64_t place, std::uint64_t saved, std::uint64_t back) {
      const bool seems_live = seems_saved(place, saved) || calls(back, at) == true;
      all =
          !seems_live || std::ranges::find(returns_, place + sizeof(Dwarf_Word)) != returns_.end();
      return all;
    });
    return all;
  }

  // Reports the file at this address to libdwfl. Sets stale_ if libdwfl knows another file there.
  void report(std::uint64_t address) {
    const auto file = (*find_)(address);
    Dwfl_Module* known = dwfl_addrmodule(dwfl_.get(), address);
    if (known != nullptr) {
      const auto found = files_.find(known);
      stale_ = !file || found == files_.end() || found->second.loaded.path != file->path ||
               found->second.loaded.bias != file->bias;
    } else if (file) {
      const char* path = file->path.c_str();
      Dwfl_Module* added = nullptr;
      if (file->image.empty())
        added = report_file(path, file->bias);
      else
        added = dwfl_report_module(dwfl_.get(), path, file->bias, file->bias + file->image.size());
      if (added == nullptr) return;
      KnownFile& kept = files_[added] = {.loaded = *file, .code = {}};
      void** of_callbacks = nullptr;
      dwfl_module_info(added, &of_callbacks, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      *of_callbacks = &kept.loaded;
      GElf_Addr ignored = 0;
      kept.code = CodeFile(dwfl_module_getelf(added, &ignored));
    }
  }

  Dwfl_Module* report_file(const char* path, std::uint64_t bias) {
    const auto file = open_regular_file(path, "/", Links::safe);
    if (!file) return nullptr;
    // A copy, which the module closes. Without one libdwfl would open the path.
    const int descriptor = ::fcntl(file->fd.get(), F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return nullptr;
    Dwfl_Module* added = dwfl_report_elf(dwfl_.get(), path, path, descriptor, bias, true);
    if (added == nullptr) {
      ::close(descriptor);
      return nullptr;
    }
    GElf_Addr ignored = 0;
    guards_.push_back(guard_mapping_of(dwfl_module_getelf(added, &ignored), descriptor, path));
    return added;
  }

  static int add_frame(Dwfl_Frame* frame, void* argument) {
    auto& self = *static_cast<DwflUnwinder*>(argument);
    Dwarf_Addr at = 0;
    // The last argument would return whether the frame was interrupted. It is not used: libdwfl
    // would have to unwind the frame before its file is reported.
    if (!dwfl_frame_pc(frame, &at, nullptr) || at == 0) return DWARF_CB_ABORT;
    if (self.copy_->lacks_registers && at == kUnknown) {
      self.cut_ = true;
      return DWARF_CB_ABORT;
    }
    self.report(self.frames_.empty() ? at : at - 1);
    if (self.last_read_.value == at) {
      self.frame_begin_ = self.last_read_.address + sizeof(Dwarf_Word);
      self.returns_.push_back(self.last_read_.address);
    }
    self.frames_.push_back(at);
    if (self.frames_.size() == kMostFrames) self.cut_ = true;
    return self.stale_ || self.cut_ ? DWARF_CB_ABORT : DWARF_CB_OK;
  }

  static pid_t next_thread(Dwfl*, void* argument, void** thread) {
    if (*thread != nullptr) return 0;
    *thread = argument;
    return kThread;
  }

  // A register when unwinding starts.
  std::uint64_t initial(int number) const {
    const bool known = number == registers_->stack || number == registers_->at;
    return copy_->lacks_registers && !known ? kUnknown : value_of(*copy_, number);
  }

  static bool set_registers(Dwfl_Thread* thread, void* argument) {
    const auto& self = *static_cast<DwflUnwinder*>(argument);
    const std::span<const int> numbers = self.registers_->numbers;
    std::vector<Dwarf_Word> values;
    for (const int number : numbers) values.push_back(self.initial(number));
    if (self.frame_pointer_ != 0) values[kFrameOfX86] = self.frame_pointer_;
    if (self.caller_ != 0) {
      values[kStackOfX86] += sizeof self.caller_;
      values[kReturnOfX86] = self.caller_;
    }
    dwfl_thread_state_register_pc(
        thread, self.caller_ != 0 ? self.caller_ : value_of(*self.copy_, self.registers_->at));
    return dwfl_thread_state_registers(thread, 0, static_cast<unsigned>(values.size()),
                                       values.data());
  }

  static bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* argument) {
    auto& self = *static_cast<DwflUnwinder*>(argument);
    const std::uint64_t start = value_of(*self.copy_, self.registers_->stack);
    const std::size_t size = self.copy_->is_64bit ? 8 : 4;
    const std::size_t all = self.copy_->stack.size();
    if (address < start || all < size || address - start > all - size) {
      const bool beyond = address >= start + all && address - start - all < kLargestFrame;
      const bool unknown = self.copy_->lacks_registers && address < kLargestFrame;
      self.lost_register_ = self.lost_register_ || unknown;
      self.cut_ = self.cut_ || beyond || unknown;
      return false;
    }
    *word = 0;
    std::memcpy(word, self.copy_->stack.data() + static_cast<std::size_t>(address - start), size);
    self.last_read_ = {.address = address, .value = *word};
    return true;
  }

  // libdwfl calls this only for modules without a path: for images in memory. It must not look for
  // debug information elsewhere (no_debug_file).
  static int find_image(Dwfl_Module*, void** file, const char*, Dwarf_Addr, char**, Elf** elf) {
    const auto image = static_cast<const LoadedFile*>(*file)->image;
    // libelf only reads the image, although its parameter is not const.
    *elf = elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(image.data())), image.size());
    return -1;
  }
  static int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                           GElf_Word, char**) {
    return -1;
  }

  static constexpr pid_t kThread = 1;  // any number: libdwfl requires one
  static constexpr Dwfl_Callbacks kCallbacks = {.find_elf = find_image,
                                                .find_debuginfo = no_debug_file,
                                                .section_address = nullptr,
                                                .debuginfo_path = nullptr};
  static constexpr Dwfl_Thread_Callbacks kThreads = {.next_thread = next_thread,
                                                     .get_thread = nullptr,
                                                     .memory_read = read_memory,
                                                     .set_initial_registers = set_registers,
                                                     .detach = nullptr,
                                                     .thread_detach = nullptr};

  std::string machine_;
  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  std::vector<GuardedMapping> guards_;  // of its files
  std::unordered_map<Dwfl_Module*, KnownFile> files_;
  bool attached_ = false;
  bool stale_ = false;
  // These belong to the stack that is being unwound.
  const Registers* registers_ = nullptr;
  const StackCopy* copy_ = nullptr;
  const Find* find_ = nullptr;
  std::uint64_t caller_ = 0;         // from which unwinding starts; 0: from the innermost function
  std::uint64_t frame_pointer_ = 0;  // with which unwinding starts; 0: as copied
  std::vector<std::uint64_t> frames_;
  std::uint64_t frame_begin_ = 0;       // of the last of them: its lowest address, or one below it
  std::vector<std::uint64_t> returns_;  // where their addresses were on the stack
  struct {
    Dwarf_Addr address = 0;
    Dwarf_Word value = 0;
  } last_read_;  // from the stack
  bool cut_ = false;
  bool lost_register_ = false;  // cut because a register is not known
};

}  // namespace

Result<std::unique_ptr<Unwinder>> Unwinder::create(const std::string& machine) {
  if (!machine.empty() && DwflUnwinder::registers_of(machine, true) == nullptr &&
      DwflUnwinder::registers_of(machine, false) == nullptr)
    return failure("stacks of '" + machine + "' can't be unwound: only those of x86 and ARM can");
  return std::make_unique<DwflUnwinder>(machine);
}

}  // namespace tacho::symbols
