/**
 * How often a proof repeats a case: in `npm run test:all` the fewest times that cover each behaviour once, and all of them where
 * `npm run prove -- repetitions` asks for it.
 */
export const repetitions = <T>(fewest: T, all: T): T => (process.env.BERTH_TEST_REPETITIONS === 'all' ? all : fewest)
