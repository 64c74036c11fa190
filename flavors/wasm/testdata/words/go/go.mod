module words

go 1.24

require github.com/leat-run/leat/guests/go v0.0.0

replace github.com/leat-run/leat/guests/go => ../../../../../guests/go
