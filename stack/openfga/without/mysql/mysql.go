// Package mysql takes the place of the MySQL driver in the OpenFGA built for a local start, which
// keeps its tuples in PostgreSQL. It registers no driver, so OpenFGA refuses the datastore "mysql".
package mysql

import "errors"

// Config is never filled.
type Config struct {
	User, Passwd         string
	AllowNativePasswords bool
}

// ParseDSN always fails.
func ParseDSN(string) (*Config, error) {
	return nil, errors.New("MySQL is not part of this build")
}

func (*Config) FormatDSN() string { return "" }

// MySQLError is never returned, since no database is ever opened.
type MySQLError struct{ Number uint16 }

func (*MySQLError) Error() string { return "MySQL is not part of this build" }
