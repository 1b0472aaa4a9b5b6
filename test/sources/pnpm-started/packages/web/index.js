require('node:http').createServer((q, r) => r.end('web')).listen(process.env.PORT)
