module github.com/leat-run/leat/guests/go

go 1.24
