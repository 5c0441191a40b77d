/** `directory` of members whom a directory made that no longer can end it. The account decides who stays. */
export const FORMER_DIRECTORY = 'former'
