/** Whether a text of a conversation failed, and no person has canceled it. */
export const hasFailed = ({ failure }: { readonly failure: string }): boolean =>
  failure !== '' && failure !== 'Canceled'
