const http = require('node:http')
http.createServer((request, response) => response.end('hello')).listen(process.env.PORT ?? 3000)
