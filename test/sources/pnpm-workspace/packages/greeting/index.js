exports.greeting = 'hello'
