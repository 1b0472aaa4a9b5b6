/** Stands for a secret wherever one would be. */
export const MASK = '***SECRET***'
