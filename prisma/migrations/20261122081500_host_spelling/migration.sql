-- One name has one spelling, so that the unique index on host refuses a second owner whatever code wrote the row.
ALTER TABLE "host" ADD CONSTRAINT "host_is_canonical" CHECK (host = lower(host) AND host !~ '(^\.|\.$|\.\.)') NOT VALID;
