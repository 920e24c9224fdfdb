import LedgerModel
import Testing

@testable import LedgerImport

/// The files of apps of scales.
extension VendorTotalsTests {
  @Test("Renpho: kilograms with points in dates, and pounds with names of months")
  func renpho() throws {
    let newer =
      [
        "Date,Time,Weight(kg),BMI,Body Fat(%),Skeletal Muscle(%),Subcutaneous Fat(%),Visceral Fat,"
          + "Body Water(%),Protein(%),Remarks"
      ]
      + Day.all.map {
        "2026.01.\(Self.two($0.date)),\(Self.clock($0.minute)):50,\(Self.tenths($0.weight)),"
          + "\(Self.tenths($0.index)),\(Self.tenths($0.fat)),50,16,7,59,18.6,--"
      }
    let rest = [Metric.bmi: sum(\.index, by: 10), .bodyFatPercentage: sum(\.fat, by: 10)]
    try expect(read(newer), "Renpho", rest.merging([.weight: kilograms]) { $1 })
    let older =
      [
        "Time of Measurement,Weight(lb),BMI,Body Fat(%),Fat-free Body Weight(lb),Subcutaneous Fat(%)"
      ]
      + Day.all.map {
        "\"Jan \($0.date), 2026 \($0.minute / 60):\(Self.two($0.minute % 60)):26 AM\","
          + "\(Self.tenths($0.pounds)),\(Self.tenths($0.index)),\(Self.tenths($0.fat)),144,17"
      }
    try expect(read(older), "Renpho", rest.merging([.weight: kilogramsOfPounds]) { $1 })
  }

  @Test("Renpho: German names, dates and decimal commas, and shares named percentages")
  func renphoGerman() throws {
    func german(_ mark: String, _ comma: String) -> [String] {
      [
        "Datum,Zeitraum,Gewicht(kg),BMI,Körperfett(%),Skelettmuskel(%),Viszeralfett,Eiweiß (%),Bemerkungen"
          .replacing(",", with: mark)
      ]
        + Day.all.map {
          [
            "\(Self.two($0.date)).01.26", "\(Self.clock($0.minute)):48",
            Self.tenths($0.weight, comma),
            Self.tenths($0.index, comma), Self.tenths($0.fat, comma), "50", "7", "--", "--",
          ].joined(separator: mark)
        }
    }
    let totals: [Metric: Double] = [
      .weight: kilograms, .bmi: sum(\.index, by: 10), .bodyFatPercentage: sum(\.fat, by: 10),
    ]
    let points = try read(german(",", "."))
    expect(points, "Renpho", totals)
    #expect(points.lines.first == "weight 2026-01-01 06:05:48 74.2")
    #expect(points.edits.allSatisfy { $0.notes == nil })
    try expect(read(german(";", ",")), "Renpho", totals)
    let percentages =
      [
        "No.\tDate\tTime\tWeight(kg)\tBMI\tBody Fat Percentage(%)\tBody Fat Mass(kg)\tVisceral Fat\tRemarks"
      ]
      + Day.all.map {
        "\($0.date)\t2026.01.\(Self.two($0.date))\t\(Self.clock($0.minute)):03\t\(Self.tenths($0.weight))\t"
          + "\(Self.tenths($0.index))\t\(Self.tenths($0.fat))\t9.33\t5\t--"
      }
    try expect(read(percentages), "Renpho", totals)
  }

  @Test("openScale 2: ISO dates, and the dates of a German phone")
  func openScale() throws {
    func lines(_ date: (Day) -> String) -> [String] {
      [#""biceps","bone","caliper1","comment","dateTime","fat","hip","muscle","water","weight""#]
        + Day.all.map {
          "0.0,0.0,0.0,\"\",\"\(date($0)) \(Self.clock($0.minute))\","
            + "\(Self.tenths($0.fat)),0.0,0.0,0.0,\(Self.tenths($0.weight))"
        }
    }
    let totals = [Metric.weight: kilograms, .bodyFatPercentage: sum(\.fat, by: 10)]
    try expect(read(lines { "2026-01-\(Self.two($0.date))" }), "openScale", totals)
    let german = try read(lines { "\(Self.two($0.date)).01.2026" })
    expect(german, "openScale", totals)
    #expect(german.lines.last?.hasPrefix("body_fat_percentage 2026-01-24") == true)
  }

  @Test("openScale 3: the weight is in the person's unit, which the body mass index tells")
  func openScaleUnits() throws {
    func lines(_ weight: (Day) -> Int) -> [String] {
      ["DATE,TIME,BICEPS,BMI,BODY_FAT,COMMENT,MUSCLE,VISCERAL_FAT,WEIGHT"]
        + Day.all.map {
          "2026-01-\(Self.two($0.date)),\(Self.clock($0.minute)):00,0.0,\(Self.tenths($0.index)),"
            + "\(Self.tenths($0.fat)),,0.0,8.0,\(Self.tenths(weight($0)))"
        }
    }
    let rest = [Metric.bmi: sum(\.index, by: 10), .bodyFatPercentage: sum(\.fat, by: 10)]
    try expect(read(lines(\.weight)), "openScale", rest.merging([.weight: kilograms]) { $1 })
    try expect(
      read(lines(\.pounds)), "openScale", rest.merging([.weight: kilogramsOfPounds]) { $1 })
  }
}
