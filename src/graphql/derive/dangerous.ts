import { DirectiveLocation, GraphQLDirective } from 'graphql'

/** Marks what takes something away that users rely on; tools ask before they call it (§4.1 rule 3). */
export const dangerousDirective = new GraphQLDirective({
  name: 'dangerous',
  description: 'The mutation removes something that may be in use: ask before calling it.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
})
