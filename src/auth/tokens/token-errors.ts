import { fieldError } from '../../errors.ts'

/** The field error of an invalid mailed token. */
export const invalidToken = () => fieldError('validation_invalid_token', 'Invalid or expired token.')
export const collectionMismatch = () =>
  fieldError('validation_token_collection_mismatch', 'The provided token is for different auth collection.')
