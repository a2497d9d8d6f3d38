package sandbox

// Without switches layers of the proof off, by the letters of the design.
func Without(cfg Config, letters string) Config {
	for _, letter := range letters {
		cfg.without |= map[rune]layer{'A': layerLease, 'B': layerDescendants, 'C': layerListens, 'D': layerMarker}[letter]
	}
	return cfg
}

// Inspect is what Boxes says of one box, wherever it lies.
func Inspect(root string) (Found, bool, error) { return place(root).inspect() }
