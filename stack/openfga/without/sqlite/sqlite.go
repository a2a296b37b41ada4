// Package sqlite takes the place of modernc.org/sqlite in the OpenFGA built for a local start, which
// keeps its tuples in PostgreSQL. It registers no driver, so OpenFGA refuses the datastore "sqlite".
package sqlite

// Error is never returned, since no database is ever opened.
type Error struct{}

func (*Error) Error() string { return "SQLite is not part of this build" }

// Code returns no result code of SQLite's.
func (*Error) Code() int { return 0 }
