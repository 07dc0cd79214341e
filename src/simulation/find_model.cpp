#include "simulation/find_model.hpp"

#include <fmt/ranges.h>

#include "events/find_data.hpp"
#include "simulation/host_model.hpp"
#include "simulation/model_file.hpp"

namespace tacho {
namespace {

constexpr std::string_view kHostModel = "host";
constexpr std::string_view kWithoutPrefetcher = ",prefetch=off";  // behind a model's name or path

Result<CpuModel> load_model(const std::string& path) {
  auto text = read_data_file(path);
  if (text) return parse_model(*text, path);
  text.error().remedy =
      "check its name; tacho's own models are in share/tacho/models beside its bin directory";
  return std::unexpected(text.error());
}

Result<CpuModel> find_whole_model(const std::string& name) {
  if (is_data_path(name)) return load_model(name);
  if (name == kHostModel) return host_model("/sys", measured_core_clock());
  if (const std::string path = find_data_file("models", name); !path.empty())
    return load_model(path);
  return failure(fmt::format("no model '{}'", name),
                 fmt::format("the models are {}; a file of your own works by its path",
                             fmt::join(model_names(), ", ")));
}

}  // namespace

Result<CpuModel> find_model(std::string_view name) {
  if (!name.ends_with(kWithoutPrefetcher)) return find_whole_model(std::string(name));
  name.remove_suffix(kWithoutPrefetcher.size());
  CpuModel model = TACHO_TRY(find_whole_model(std::string(name)));
  model.name += kWithoutPrefetcher;
  model.prefetcher = {};
  model.sources.emplace_back("prefetch: off, as the command says");
  return model;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names = data_file_names("models");
  names.insert(names.begin(), std::string(kHostModel));
  return names;
}

}  // namespace tacho
