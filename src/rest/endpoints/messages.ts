import { z } from 'zod'

/** What a deletion answers (§4.2). */
export const messageAnswer = z.object({ message: z.string().describe('What was done, in words.') })
