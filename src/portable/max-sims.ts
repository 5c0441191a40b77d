/** Maximum SIM cards of a device. */
export const MAX_SIMS = 8
