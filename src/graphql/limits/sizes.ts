/** Most that one page of a list holds; asking for more is refused. */
export const MAX_PAGE = 1000

/** What a list at the top holds when nothing was asked for. */
export const ROOT_PAGE = 50

/** The same for a list inside another: the two multiply. */
export const NESTED_PAGE = 10

/** What a list without pages is reckoned to hold. */
export const PLAIN_LIST = 5
