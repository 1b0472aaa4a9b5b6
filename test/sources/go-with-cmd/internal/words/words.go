package words

const Hello = "hello"
