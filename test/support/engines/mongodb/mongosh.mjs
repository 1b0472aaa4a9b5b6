// The shell itself, as npm has it.
import 'mongosh/bin/mongosh.js'
