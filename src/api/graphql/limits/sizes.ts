/** Maximum page size of a list; asking for more is refused. */
export const MAX_PAGE = 1000

/** Default page size of a list at the top level. */
export const ROOT_PAGE = 50

/** The same for a list inside another: the two multiply. */
export const NESTED_PAGE = 10

/** Assumed size of a list without pages. */
export const PLAIN_LIST = 5
