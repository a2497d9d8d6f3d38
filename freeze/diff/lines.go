package diff

import "strings"

// lineDiff returns the lines of a that are not in b, and those of b that are
// not in a, each with its newline, where what they share keeps its order.
func lineDiff(a, b []string) (removed, added string) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	keptA, keptB := common(a, b)
	return without(a, keptA), without(b, keptB)
}

// common marks a longest common subsequence in both.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	// The table would take more than it is worth: all of it counts as changed.
	const largest = 4 << 20
	if len(a)*len(b) > largest {
		return inA, inB
	}
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

func without(lines []string, kept []bool) string {
	var out strings.Builder
	for i, line := range lines {
		if !kept[i] {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
