/**
 * Gives the user the password in this variable. The client sends a hash, and so the password is in no log of statements;
 * nor is the hash, whatever the server's settings are. It asks for the password twice.
 */
export const setPassword = (variable: string): [string, ...string[]] => [
  "export PGOPTIONS='-c log_min_duration_statement=-1 -c log_statement=none -c log_min_error_statement=panic'",
  `printf "%s\\n" "$${variable}" "$${variable}" |`,
  '  psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --no-psqlrc --set=ON_ERROR_STOP=1 --command="\\\\password" > /dev/null',
]
