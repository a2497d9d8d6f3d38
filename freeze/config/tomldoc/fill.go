package tomldoc

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fill puts a value of the file into a field. Of several complaints the first
// in the file is returned.
func (d *Doc) fill(key string, from any, into reflect.Value) error {
	switch into.Kind() {
	case reflect.Struct, reflect.Map:
		if table, ok := from.(map[string]any); ok {
			return d.fillTable(key, table, into)
		}
	case reflect.Slice:
		if array, ok := from.([]any); ok {
			return d.fillArray(key, array, into)
		}
	case reflect.Int:
		if n, ok := from.(int64); ok {
			into.SetInt(n)
			return nil
		}
	default:
		if v := reflect.ValueOf(from); v.Kind() == into.Kind() {
			into.Set(v.Convert(into.Type()))
			return nil
		}
	}
	return d.Errorf(key, "wrong type: wants %s, not %s", kindOf(into.Type()), kindOf(reflect.TypeOf(from)))
}

func (d *Doc) fillTable(key string, table map[string]any, into reflect.Value) error {
	fill := d.fillField
	if into.Kind() == reflect.Map {
		into.Set(reflect.MakeMap(into.Type()))
		fill = d.fillEntry
	}
	inFileOrder := slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		return cmp.Compare(d.places[Join(key, a)], d.places[Join(key, b)])
	})
	for _, name := range inFileOrder {
		if err := fill(key, name, table[name], into); err != nil {
			return err
		}
	}
	return nil
}

func (d *Doc) fillEntry(key, name string, from any, into reflect.Value) error {
	v := reflect.New(into.Type().Elem()).Elem()
	err := d.fill(Join(key, name), from, v)
	into.SetMapIndex(reflect.ValueOf(name), v)
	return err
}

func (d *Doc) fillField(key, name string, from any, into reflect.Value) error {
	var known []string
	for field, v := range into.Fields() {
		switch tag := field.Tag.Get("toml"); tag {
		case "-":
		case name:
			return d.fill(Join(key, name), from, v)
		default:
			known = append(known, tag)
		}
	}
	return d.Errorf(Join(key, name), "unknown key, known here: %s", strings.Join(known, ", "))
}

func (d *Doc) fillArray(key string, array []any, into reflect.Value) error {
	into.Set(reflect.MakeSlice(into.Type(), len(array), len(array)))
	for i, v := range array {
		if err := d.fill(At(key, i), v, into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a float"
	case reflect.Map:
		return "a table"
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Interface {
			return fmt.Sprintf("an array, each element %s", kindOf(t.Elem()))
		}
		return "an array"
	case reflect.Struct:
		// In the file's own values only dates and times are structs.
		if t.PkgPath() == "time" || strings.HasPrefix(t.Name(), "Local") {
			return "a date or time without quotes"
		}
		return "a table"
	}
	return t.String()
}
