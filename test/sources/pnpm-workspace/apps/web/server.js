const { greeting } = require('greeting')
require('node:http').createServer((request, response) => response.end(greeting)).listen(process.env.PORT ?? 3000)
