// What `tacho report` and `tacho annotate` print: a profile's rows as text, JSON and CSV, and whole
// profiles in the formats of other tools' viewers. One file a format.
#pragma once

#include <string>

#include "base/number.hpp"
#include "profile/annotation.hpp"
#include "profile/summary.hpp"

namespace tacho {

// How text is shown: colours only on a terminal.
struct TextStyle {
  NumberStyle numbers;
  bool colour = false;
};

// Of `limit` rows; 0: all.
std::string profile_text(const ProfileSummary&, std::size_t limit, const TextStyle&);
std::string profile_json(const ProfileSummary&, std::size_t limit, std::string_view version);
std::string profile_csv(const ProfileSummary&, std::size_t limit);

std::string call_view_text(const CallView&, const TextStyle&);
std::string call_view_json(const CallView&, std::string_view version);
std::string call_view_csv(const CallView&);

std::string annotation_text(const Annotation&, const TextStyle&);
std::string annotation_json(const Annotation&, std::string_view version);

// The calls of a profile, for other viewers. Each needs what places mean.
struct ProfileExport {
  const Profile& profile;
  const perfdata::Description& recording;
  Resolver& resolver;
  std::size_t event = 0;  // for formats that hold one
  std::string_view version;
};

// A line a call chain, outermost first: "main;work;inner 12" (the input of flamegraph.pl, inferno
// and others), with how many events its samples stand for.
std::string profile_folded(const ProfileExport&);
// https://github.com/google/pprof/blob/main/proto/profile.proto, not compressed. All events.
std::string profile_pprof(const ProfileExport&);
// The "processed profile" of https://profiler.firefox.com: over time, where the profile kept
// samples.
std::string profile_firefox(const ProfileExport&);
// https://www.speedscope.app/file-format-schema.json. All events, a profile each.
std::string profile_speedscope(const ProfileExport&);

}  // namespace tacho
