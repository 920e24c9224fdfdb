// error: is only available in
func planted(_ values: InlineArray<3, Int>) -> Int { values[0] }
