/** Names of this computer itself. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether an address means the computer that opens it, so that no other one can reach the server by it. */
export const isLoopback = (url: string) => LOOPBACK.test(new URL(url).hostname)

/** Whether what is sent to an address can be read on the way. */
export const isUnencrypted = (url: string) => new URL(url).protocol === 'http:' && !isLoopback(url)
