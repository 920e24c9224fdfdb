/// The page's only style sheet. It is constant, so that the page's policy can allow it by its
/// digest and forbid all others.
enum Stylesheet {
  static let text = """
    :root{color-scheme:light dark;\(Palette.variables(isDark: false))}
    @media (prefers-color-scheme:dark){:root{\(Palette.variables(isDark: true))}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);
    font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
    main,header,footer{max-width:64rem;margin:0 auto;padding:0 1rem}
    header{padding-top:2rem}
    h1{font-size:1.75rem;line-height:1.2;margin:0;letter-spacing:-.01em;text-wrap:balance}
    h2{font-size:1.25rem;line-height:1.3;margin:2.25rem 0 .75rem;letter-spacing:-.005em}
    h3{font-size:1rem;line-height:1.4;margin:0}
    p{margin:.25rem 0 .75rem;max-width:70ch}
    a{color:var(--accent)}
    .quiet,caption,figcaption,.key,.note{color:var(--quiet);font-size:.875rem}
    .name,.what,.words{overflow-wrap:anywhere}
    .card{background:var(--card);border:1px solid var(--rule);border-radius:.625rem;
    padding:1rem 1rem .875rem;min-width:0}
    .tiles,.pair,.more,.stack{display:grid;gap:.75rem;grid-template-columns:minmax(0,1fr);margin:0}
    .top{align-items:start}
    .tiles{grid-template-columns:repeat(auto-fill,minmax(min(9.25rem,46%),1fr));margin-top:.75rem}
    .leading{grid-template-columns:minmax(0,1fr);margin-top:1.25rem}
    .tiles div{background:var(--card);border:1px solid var(--rule);border-radius:.625rem;
    padding:.75rem .875rem;min-width:0}
    .tiles dt{font-size:.875rem;font-weight:600}
    .tiles dd{margin:0}
    .tiles .value{font-size:1.375rem;line-height:1.35;font-weight:600;
    font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
    .leading .value{font-size:1.875rem;line-height:1.25;letter-spacing:-.01em}
    .tiles small{font-size:.9375rem;font-weight:400;color:var(--quiet);letter-spacing:0;white-space:nowrap}
    .tiles .note,.changes,.streak{font-size:.8125rem;line-height:1.45}
    .changes{display:flex;flex-wrap:wrap;gap:0 .875rem;margin-top:.25rem!important;
    font-variant-numeric:tabular-nums}
    .goal-of{margin-top:.5rem!important;padding-top:.5rem;border-top:1px solid var(--rule)}
    .streak{display:flex;flex-wrap:wrap;align-items:center;gap:.125rem .625rem;
    margin-top:.25rem!important}
    .week{flex:none}
    .met{fill:var(--good);stroke:var(--good);stroke-width:1.5}
    .missed{fill:none;stroke:var(--dot);stroke-width:1.5}
    figure{margin:0}
    figcaption{margin:.125rem 0 0}
    figcaption span{display:inline-block}
    figcaption span:not(:last-child)::after{content:"·";padding-left:.4em}
    .chart{position:relative;margin:2.375rem 1.125rem 2rem 3rem}
    .long{margin-top:3.5rem}
    .plot{display:block;width:100%;overflow:visible;font-size:.75rem;
    font-variant-numeric:tabular-nums}
    .plot text{fill:var(--quiet)}
    .plot .tick{text-anchor:middle}
    .plot .up{text-anchor:end;dominant-baseline:central;transform:translateX(-6px)}
    path{vector-effect:non-scaling-stroke}
    .grid{fill:none;stroke:var(--rule);stroke-width:1}
    .base,.mark{fill:none;stroke:var(--quiet);stroke-width:1}
    .bar{fill:var(--bar)}
    .deep{fill:var(--deep)}
    .core{fill:var(--core)}
    .rem{fill:var(--rem)}
    .asleep{fill:var(--dot)}
    .awake{fill:var(--awake)}
    .dots{fill:none;stroke:var(--dot);stroke-width:7;stroke-linecap:round}
    .many{stroke-width:5}
    .range{fill:none;stroke:var(--dot);stroke-width:1;stroke-opacity:.6}
    .line,.before{fill:none;stroke:var(--line);stroke-width:2;stroke-linejoin:round;
    stroke-linecap:round}
    .before{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:1 4}
    .goal{stroke:var(--good);stroke-width:1.5;stroke-dasharray:6 3}
    .beyond{fill:var(--good);stroke:none}
    .halo{stroke:var(--card);stroke-width:5}
    .before.halo,.goal.halo{stroke-width:4}
    .unusual{fill:var(--card);stroke:var(--bad);stroke-width:2}
    circle.unusual{fill:none}
    .off{overflow:visible}
    .readings{position:absolute;inset:0;display:flex}
    .readings>*{flex:1 1 0;min-width:0}
    .readings input{-webkit-appearance:none;appearance:none;font:inherit;height:100%;margin:0;border-radius:0;
    cursor:crosshair}
    .readings input:checked,.readings input:hover{background:
    linear-gradient(var(--accent),var(--accent)) 50%/1px 100% no-repeat}
    .readings:hover input:checked:not(:hover){background:none}
    .readings input:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    .readings input:checked::after,.readings input:hover::after,.readings input:focus-visible::after{
    content:attr(aria-label);position:absolute;right:0;bottom:calc(100% + .3125rem);max-width:100%;
    background:var(--card);color:var(--ink);font-size:.8125rem;line-height:1.3;text-align:right;
    font-variant-numeric:tabular-nums;padding-left:.5rem;pointer-events:none}
    .readings:hover input:not(:hover)::after{content:none}
    .hint{margin:.75rem 0 0}
    .bar.acknowledged{fill:var(--good)}
    .bar.pending{fill:var(--bar)}
    .bar.doubt,.bar.held{fill:var(--waits)}
    .bar.rejected,.bar.conflict{fill:var(--bad)}
    .strip .chart{margin-top:.625rem;margin-bottom:.75rem}
    .strip:last-of-type .chart{margin-bottom:2rem}
    .strip h3{display:flex;justify-content:space-between;gap:1rem;font-size:.9375rem}
    .strip .now{font-variant-numeric:tabular-nums}
    .strip+.strip{border-top:1px solid var(--rule);padding-top:.625rem;margin-top:.5rem}
    .key{display:flex;flex-wrap:wrap;gap:.125rem 1rem;list-style:none;margin:0 0 .5rem;padding:0}
    .key li{display:flex;align-items:center;gap:.5rem}
    .key svg{flex:none}
    details{margin-top:.25rem}
    summary{cursor:pointer;color:var(--accent);font-size:.875rem;padding:.25rem 0}
    .scroll{overflow-x:auto;max-height:24rem;overflow-y:auto}
    table{border-collapse:collapse;width:100%;font-size:.875rem;font-variant-numeric:tabular-nums}
    caption{text-align:left;padding:.25rem 0 .375rem}
    th,td{text-align:right;padding:.25rem .5rem;border-bottom:1px solid var(--rule);
    vertical-align:top}
    th:first-child,td:first-child{text-align:left;padding-left:0}
    th:last-child,td:last-child{padding-right:0}
    thead th{color:var(--quiet);font-weight:500}
    tbody th{font-weight:400}
    code,pre,.hash{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
    monospace;font-size:.8125rem}
    pre,.full{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--page);
    border:1px solid var(--rule);border-radius:.375rem;padding:.5rem .625rem;margin:.25rem 0 .75rem}
    .nobr{white-space:nowrap}
    .verdict{font-weight:600}
    .ok{color:var(--good)}
    .events td,.events th{text-align:left;padding-right:1rem}
    .events .seq{text-align:right;padding-right:1rem;white-space:nowrap}
    .events .time{white-space:nowrap}
    .events .hash{color:var(--quiet);white-space:nowrap}
    .days th,.days td{text-align:left}
    .days th{white-space:nowrap;padding-right:1rem}
    .days td{width:100%}
    #sync-days{margin:1.25rem 0 .5rem}
    .share{display:block;width:100%;margin:.375rem 0 .125rem}
    .events .what{width:100%}
    .view{display:none}
    .choice{position:absolute;opacity:0;width:1px;height:1px;margin:0}
    .switch{display:flex;flex-wrap:wrap;gap:.375rem;margin:1.25rem 0 0}
    .switch label{border:1px solid var(--rule);border-radius:1.25rem;padding:.375rem 1rem;
    font-size:.875rem;cursor:pointer;background:var(--card)}
    \(Switch.style)
    footer{color:var(--quiet);font-size:.875rem;padding-top:1.5rem;padding-bottom:2.5rem}
    @media (min-width:44rem){
    .pair,.more{grid-template-columns:repeat(2,minmax(0,1fr))}
    .tiles{grid-template-columns:repeat(auto-fill,minmax(14rem,1fr))}
    .leading{grid-template-columns:repeat(auto-fit,minmax(12rem,1fr))}
    .card{padding:1.125rem 1.25rem 1rem}
    main,header,footer{padding-left:1.5rem;padding-right:1.5rem}
    }
    @media (min-width:60rem){.more{grid-template-columns:repeat(3,minmax(0,1fr))}}
    @media (max-width:43.99rem){
    .spare{display:none}
    .events thead{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
    .events tr{display:grid;grid-template-columns:auto 1fr auto;column-gap:.75rem;
    border-bottom:1px solid var(--rule);padding:.375rem 0}
    .events td,.events th,.events .seq{border:0;padding:0;text-align:left}
    .events .actor{text-align:right;color:var(--quiet)}
    .events .time{color:var(--quiet)}
    .events .what{grid-column:1/-1}
    .events .hash{grid-column:1/-1}
    }
    @media print{
    @page{margin:14mm}
    :root{color-scheme:light;\(Palette.variables(isDark: false))--page:#ffffff;}
    body{font-size:10pt;background:none}
    header{padding-top:0}
    main,header,footer{max-width:none;padding-left:1px;padding-right:1px}
    .card,.tiles div,figure,.strip,tr{break-inside:avoid}
    h2,h3,caption,thead{break-after:avoid}
    details,.switch,.hint,.readings{display:none}
    .person,.audit{display:block}
    .audit{break-before:page}
    .leading{grid-template-columns:repeat(3,minmax(0,1fr))}
    .list{break-inside:auto!important}
    h2{margin:1.25rem 0 .5rem}
    .chart,.long{margin-top:1.75rem}
    *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
    }

    """

  /// The SHA-256 of ``text`` in Base64, as used by Content-Security-Policy.
  static let digest = "sha256-DmA5LEr4YWIttM62/WKY29JHamMq9M0i094C8GCSZj4="
}

/// The page's colours for light and dark screens. A test checks the contrast: 4.5 to 1 for text, 3
/// to 1 for lines and bars.
enum Palette {
  struct Colour {
    let name: String
    let light: String
    let dark: String
  }

  static let page = Colour(name: "page", light: "#f7f6f3", dark: "#12161b")
  static let card = Colour(name: "card", light: "#ffffff", dark: "#1a2027")
  static let rule = Colour(name: "rule", light: "#dcdad4", dark: "#323b46")
  static let ink = Colour(name: "ink", light: "#1c2127", dark: "#e7eaee")
  static let quiet = Colour(name: "quiet", light: "#59616b", dark: "#a3adb9")
  static let accent = Colour(name: "accent", light: "#1f5f8b", dark: "#7db8e0")
  static let bar = Colour(name: "bar", light: "#4381a8", dark: "#4f8ab3")
  static let dot = Colour(name: "dot", light: "#7d8894", dark: "#8b97a4")
  static let deep = Colour(name: "deep", light: "#1d3f72", dark: "#4a7bc0")
  static let core = Colour(name: "core", light: "#3d7fb8", dark: "#7db4e6")
  static let rem = Colour(name: "rem", light: "#8a63b8", dark: "#b79be0")
  static let awake = Colour(name: "awake", light: "#b8721a", dark: "#e0a94a")
  static let line = Colour(name: "line", light: "#b3471d", dark: "#f0996b")
  static let good = Colour(name: "good", light: "#2f7d5b", dark: "#5db48c")
  static let waits = Colour(name: "waits", light: "#875e00", dark: "#d9a441")
  static let bad = Colour(name: "bad", light: "#b3282d", dark: "#ef7d80")

  static let all = [
    page, card, rule, ink, quiet, accent, bar, dot, deep, core, rem, awake, line, good, waits, bad,
  ]

  static func variables(isDark: Bool) -> String {
    all.map { "--\($0.name):\(isDark ? $0.dark : $0.light);" }.joined()
  }
}
