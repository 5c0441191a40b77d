/** How a write hashes and compares passwords; may wait or throw an ApiError. */
export interface PasswordWork {
  hash(plain: string, cost: number): Promise<string>
  verify(plain: string, hash: string): Promise<boolean>
}
