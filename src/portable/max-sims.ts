export const MAX_SIMS = 8
