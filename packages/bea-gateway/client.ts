import type { Log } from '#kernel/log.ts'
import { failureOfFault, GatewayFault, isForOperators } from './failures.ts'
import { UnreadableAnswer } from './fields.ts'
import { type Answer, type Call, type FunctionName, isRepeatable } from './transport.ts'

/** Calls the gateway for the adapter: repeats reads, logs failures, and throws Failures. */
export type Client = {
  /**
   * @param observe gets every answer, also one that refuses
   * @throws Failure; its cause is the GatewayFault
   */
  call: (
    name: FunctionName,
    request: object,
    signal: AbortSignal,
    observe?: (answer: Answer) => void,
  ) => Promise<Answer>
  /** Reads an answer, or a part of it. @throws Failure BEA_GATEWAY_ERROR if it does not have the expected form */
  reading: <Result>(name: FunctionName, read: () => Result | Promise<Result>) => Promise<Result>
}

/** Calls a function for a session, and stores the token of the answer. @throws Failure */
export type SessionCall = (name: FunctionName, request: object, signal: AbortSignal) => Promise<Answer>

/** @param callOnce calls the gateway; called twice only for reads whose connection failed */
export function gatewayClient(callOnce: Call, log: Log): Client {
  const failing = (error: unknown): never => {
    if (!(error instanceof GatewayFault)) throw error
    const failure = failureOfFault(error)
    const { kind, function: name, status, text, reason } = error.fault
    const level = isForOperators(error, failure) ? 'error' : 'warn'
    log[level]('A call of the beA gateway failed.', {
      function: name,
      kind,
      reason,
      ...(status !== undefined && { status }),
      ...(text !== undefined && { gateway_text: text }),
      code: failure.code,
    })
    throw failure
  }
  return {
    call: async (name, request, signal, observe) => {
      try {
        return await callOnce(name, request, signal, observe)
      } catch (error) {
        const isBroken =
          error instanceof GatewayFault && ['not_connected', 'no_answer'].includes(error.fault.kind)
        if (!isBroken || !isRepeatable(name) || error.fault.isLate || signal.aborted) return failing(error)
        return await callOnce(name, request, signal, observe).catch(failing)
      }
    },
    reading: async (name, read) => {
      try {
        return await read()
      } catch (error) {
        const cause = error instanceof UnreadableAnswer ? error : undefined
        if (cause === undefined && !(error instanceof SyntaxError)) throw error
        // Errors of JSON quote the input.
        const reason = cause?.message ?? 'A text of the answer is damaged.'
        return failing(new GatewayFault({ kind: 'unreadable', function: name, reason }, cause))
      }
    },
  }
}
