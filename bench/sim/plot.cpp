#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace nearfork::sim {
namespace {

// Colours that readers with colour-blindness can tell apart, one for each ring.
constexpr std::array<std::string_view, ring_count> ring_colours{"#56b4e9", "#009e73", "#e69f00",
                                                                "#cc79a7"};
constexpr std::string_view blue = "#0072b2";
constexpr std::string_view vermilion = "#d55e00";
constexpr std::string_view grey = "#888888";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML at all.
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

// The last part of a path: full paths do not fit a title.
std::string_view short_name(std::string_view source) {
  const auto slash = source.find_last_of('/');
  return slash == std::string_view::npos ? source : source.substr(slash + 1);
}

struct panel {
  double x, y, width, height;
};

class drawing {
 public:
  drawing(double width, double height) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"white\"/>\n",
        width, height);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"/>\n",
        x1, y1, x2, y2, colour, width);
  }
  void text(double x, double y, std::string_view anchor, std::string_view what, int size = 12) {
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
        anchor, size, escaped(what));
  }
  void path(const std::vector<std::pair<double, double>>& points, std::string_view colour,
            std::string_view dashes, double width = 1.5) {
    out_ += "<polyline points=\"";
    for (const auto& [x, y] : points) out_ += fmt::format("{:.1f},{:.1f} ", x, y);
    out_ += fmt::format("\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:g}\"", colour, width);
    if (!dashes.empty()) out_ += fmt::format(" stroke-dasharray=\"{}\"", dashes);
    out_ += "/>\n";
  }
  void dot(double x, double y, std::string_view colour, std::string_view title) {
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n", x,
        y, colour, escaped(title));
  }
  void bar(double x, double y, double width, double height, std::string_view colour,
           std::string_view title) {
    out_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"{}\"><title>{}</title></rect>\n",
        x, y, width, height, colour, escaped(title));
  }
  std::string finish() && { return std::move(out_) + "</svg>\n"; }

 private:
  std::string out_;
};

std::string number(double x) {
  return x >= 1e6   ? fmt::format("{:g}M", x / 1e6)
         : x >= 1e4 ? fmt::format("{:g}k", x / 1e3)
                    : fmt::format("{:g}", x);
}

void frame(drawing& d, const panel& p, std::string_view title, std::string_view below) {
  d.line(p.x, p.y, p.x, p.y + p.height, "black");
  d.line(p.x, p.y + p.height, p.x + p.width, p.y + p.height, "black");
  d.text(p.x + p.width / 2, p.y - 12, "middle", title, 13);
  d.text(p.x + p.width / 2, p.y + p.height + 38, "middle", below);
}

// Speed-up over workers, both by powers of two, with the limits that hold for every schedule, the
// one that a greedy schedule keeps, and what was predicted.
void draw_speedup(drawing& d, const panel& p, const series& s) {
  frame(d, p, "speed-up (work / time)", "workers");
  std::vector<measurement> runs = s.runs;
  std::sort(runs.begin(), runs.end(),
            [](const auto& a, const auto& b) { return a.workers < b.workers; });
  double left = std::log2(static_cast<double>(runs.front().workers));
  double right = std::log2(static_cast<double>(runs.back().workers));
  if (right - left < 1) {  // one number of workers: an axis nevertheless
    left = std::max(0.0, left - 1);
    right = std::max(right, left + 1);
  }
  double low = 0;  // never above speed-up 1
  double high = right;
  for (const auto& m : runs) {
    if (m.speedup() <= 0) continue;
    low = std::min(low, std::floor(std::log2(m.speedup())));
    high = std::max(high, std::log2(m.speedup()));
  }
  high = std::max(std::ceil(high), low + 1);
  const auto x_of = [&](double log) {
    return p.x + 14 + (p.width - 28) * (log - left) / (right - left);
  };
  const auto y_of = [&](double log) { return p.y + p.height * (1 - (log - low) / (high - low)); };
  for (double tick = std::ceil(low); tick <= high; ++tick) {
    d.line(p.x, y_of(tick), p.x + p.width, y_of(tick), "#e5e5e5");
    d.text(p.x - 6, y_of(tick) + 4, "end", number(std::exp2(tick)));
  }
  double last = -1e9;  // labels that would overlap are left out
  for (const auto& m : runs) {
    const double x = x_of(std::log2(static_cast<double>(m.workers)));
    d.line(x, p.y + p.height, x, p.y + p.height + 4, "black");
    if (x - last < 26) continue;
    d.text(x, p.y + p.height + 18, "middle", std::to_string(m.workers));
    last = x;
  }

  const double work = static_cast<double>(s.work);
  const double span = static_cast<double>(s.span);
  std::vector<std::pair<double, double>> upper, greedy, measured;
  for (int i = 0; i <= 64 && span > 0; ++i) {
    const double log = left + (right - left) * i / 64;
    const double workers = std::exp2(log);
    upper.emplace_back(x_of(log),
                       y_of(std::clamp(std::log2(std::min(workers, work / span)), low, high)));
    greedy.emplace_back(x_of(log),
                        y_of(std::clamp(std::log2(work / (work / workers + span)), low, high)));
  }
  d.path(upper, grey, "6 4");
  d.path(greedy, vermilion, "2 3");
  for (const auto& m : runs) {
    if (m.speedup() <= 0) continue;
    measured.emplace_back(x_of(std::log2(static_cast<double>(m.workers))),
                          y_of(std::log2(m.speedup())));
  }
  d.path(measured, blue, "", 2);
  for (std::size_t i = 0, k = 0; i < runs.size() && k < measured.size(); ++i) {
    if (runs[i].speedup() <= 0) continue;
    d.dot(measured[k].first, measured[k].second, blue,
          fmt::format("{} workers: time {:.0f}, speed-up {:.2f}", runs[i].workers, runs[i].time,
                      runs[i].speedup()));
    ++k;
  }

  const double x = p.x + 24;
  double y = p.y + 12;
  const auto key = [&](std::string_view colour, std::string_view dashes, std::string_view what) {
    d.path({{x, y}, {x + 26, y}}, colour, dashes, 2);
    d.text(x + 32, y + 4, "start", what);
    y += 17;
  };
  key(grey, "6 4", "limit: min(P, work / span)");
  key(vermilion, "2 3", "work / (work/P + span)");
  key(blue, "", "predicted");
}

void draw_steals(drawing& d, const panel& p, const series& s) {
  frame(d, p, s.machine ? "steals by ring" : "steals", "workers");
  double most = 1;
  for (const auto& m : s.runs) most = std::max(most, m.steals);
  const double power = std::pow(10, std::floor(std::log10(most)));
  const double unit = most / power > 5 ? power : most / power > 2 ? power / 2 : power / 5;
  const double top = std::ceil(most / unit) * unit;
  const auto y_of = [&](double count) { return p.y + p.height * (1 - count / top); };
  for (double tick = 0; tick <= top * 1.0001; tick += unit) {
    if (tick > 0) d.line(p.x, y_of(tick), p.x + p.width, y_of(tick), "#e5e5e5");
    d.text(p.x - 6, y_of(tick) + 4, "end", number(tick));
  }
  const double slot = p.width / static_cast<double>(s.runs.size());
  const std::size_t every = static_cast<std::size_t>(std::ceil(26 / slot));
  for (std::size_t i = 0; i < s.runs.size(); ++i) {
    const measurement& m = s.runs[i];
    const double width = std::min(slot * 0.6, 60.0);
    const double x = p.x + slot * (static_cast<double>(i) + 0.5) - width / 2;
    if (i % every == 0) {
      d.text(x + width / 2, p.y + p.height + 18, "middle", std::to_string(m.workers));
    }
    if (!s.machine) {
      d.bar(x, y_of(m.steals), width, y_of(0) - y_of(m.steals), blue,
            fmt::format("{} workers: {:.0f} steals", m.workers, m.steals));
      continue;
    }
    double below = 0;
    for (const ring r : all_rings) {
      const auto k = static_cast<std::size_t>(r);
      const double count = m.steals_by_ring[k];
      if (count <= 0) continue;
      d.bar(x, y_of(below + count), width, y_of(below) - y_of(below + count), ring_colours[k],
            fmt::format("{} workers, {}: {:.0f} steals", m.workers, to_string(r), count));
      below += count;
    }
  }
  if (!s.machine) return;
  double x = p.x + 4;
  for (const ring r : all_rings) {
    d.bar(x, p.y + p.height + 50, 11, 11, ring_colours[static_cast<std::size_t>(r)], to_string(r));
    d.text(x + 16, p.y + p.height + 60, "start", to_string(r));
    x += 80;
  }
}

}  // namespace

std::string svg_of(const series& s) {
  drawing d(860, 430);
  std::string title = fmt::format("{}: {} task, {} victims", s.graph, to_string(s.options.end),
                                  to_string(s.options.victims));
  if (s.machine) title += fmt::format(", {}", short_name(s.source));
  d.text(430, 24, "middle", title, 15);
  if (!s.runs.empty()) {
    draw_speedup(d, {60, 66, 350, 270}, s);
    draw_steals(d, {490, 66, 350, 270}, s);
  }
  d.text(430, 420, "middle",
         fmt::format("work {}, span {}; simulated, averages over {} seed{}", s.work, s.span,
                     s.seeds, s.seeds == 1 ? "" : "s"),
         11);
  return std::move(d).finish();
}

}  // namespace nearfork::sim
