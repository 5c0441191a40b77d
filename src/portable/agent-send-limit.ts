/** Maximum recipients of a send by an account's member with the role `agent`. */
export const MAX_OF_AGENT = 20
