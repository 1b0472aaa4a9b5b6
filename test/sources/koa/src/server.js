const Koa = require('koa')
const app = new Koa()
app.use((context) => {
  context.body = 'hello'
})
app.listen(process.env.PORT ?? 3000)
