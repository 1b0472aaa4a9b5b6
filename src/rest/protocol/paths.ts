/** Where v1 lives (§9 rule 1). */
export const BASE_PATH = '/api/public/v1'
