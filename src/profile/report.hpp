// The reports of `tacho report` and `tacho annotate` as text, JSON and CSV, and whole profiles in
// the formats of other viewers. Each format has a file of its own, such as csv.cpp and pprof.cpp.
#pragma once

#include <string>

#include "base/number.hpp"
#include "profile/annotation.hpp"
#include "profile/call_view.hpp"
#include "profile/summary.hpp"
#include "report/terminal.hpp"
#include "report/text_sink.hpp"

namespace tacho {

// At most `limit` rows; 0: all.
std::string profile_text(const ProfileSummary&, std::size_t limit, const TextStyle&);
std::string profile_json(const ProfileSummary&, std::size_t limit, std::string_view version);
std::string profile_csv(const ProfileSummary&, std::size_t limit);

std::string call_view_text(const CallView&, const TextStyle&);
std::string call_view_json(const CallView&, std::string_view version);
std::string call_view_csv(const CallView&);

// The hottest lines and instructions with those around them, or `all`.
std::string annotation_text(const Annotation&, const TextStyle&, bool all);
std::string annotation_json(const Annotation&, std::string_view version);

// A profile with its call chains, for other viewers. Writers do not refer to it: they have what
// they write.
struct ProfileExport {
  const Profile& profile;
  const perfdata::Description& recording;
  Resolver& resolver;
  std::size_t event = 0;  // for formats that have one event only
  std::string_view version;
  std::string chosen = {};  // the words of a choice of samples; empty: all samples
  // Whether pprof's format has functions that were inlined. The others have them after
  // Profile::add_inlined().
  bool inlined = true;
};

// One line per call chain, outermost function first: "main;work;inner 12". The number is how many
// events its samples stand for. flamegraph.pl, inferno and others read it.
TextWriter profile_folded(const ProfileExport&);
// https://github.com/google/pprof/blob/main/proto/profile.proto, not yet compressed, with all
// events.
std::string profile_pprof(const ProfileExport&);
// The events that pprof's format has: its samples have a number for each.
ReportedEvents pprof_events(const ProfileExport&);
// The "processed profile" of https://profiler.firefox.com; over time, if the profile kept its
// samples.
TextWriter profile_firefox(const ProfileExport&);
// https://www.speedscope.app/file-format-schema.json; all events, one profile for each.
std::string profile_speedscope(const ProfileExport&);

}  // namespace tacho
