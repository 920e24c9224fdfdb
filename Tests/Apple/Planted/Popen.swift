// error: 'popen' is unavailable
import Darwin

func planted() { _ = popen("ls", "r") }
