/** Host names and addresses of the computer itself. RFC 6761, 6.3; RFC 1122, 3.2.1.3 */
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a URL leads to the computer that opens it, so that other computers cannot use it. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)
