/** Most people that a send of an agent reaches. */
export const MAX_OF_AGENT = 20
