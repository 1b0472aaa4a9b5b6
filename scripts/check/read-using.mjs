// dependency-cruiser reads TypeScript through swc here, as it does not support version 7 yet; and swc's Visitor class
// throws on `using` declarations.
import { createRequire } from 'node:module'

const { Visitor } = createRequire(import.meta.url)('@swc/core/Visitor.js')
const visitStatement = Visitor.prototype.visitStatement

Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement)
  return this.visitVariableDeclaration({ ...statement, declarations: statement.decls })
}
