/** Maximum recipients of a send by an account's agent. */
export const MAX_OF_AGENT = 20
