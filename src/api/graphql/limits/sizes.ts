/** Maximum page size of a list; asking for more is refused. */
export const MAX_PAGE = 1000

/** Page size of a list when none is asked for. */
export const USUAL_PAGE = 50

/** Assumed size of a list without pages. */
export const PLAIN_LIST = 5

/** Maximum number of ids that `nodes` takes. */
export const MAX_NODES = 100
