import { fieldError } from '../../errors.ts'

/** Why a token out of a mail is refused, as the error of its field. */
export const invalidToken = () => fieldError('validation_invalid_token', 'Invalid or expired token.')
export const collectionMismatch = () =>
  fieldError('validation_token_collection_mismatch', 'The provided token is for different auth collection.')
