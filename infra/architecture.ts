import { Architecture } from 'aws-cdk-lib/aws-lambda'

/** The architecture of containers that this machine runs without emulation. */
export function machineArchitecture(): Architecture {
  return process.arch === 'x64' ? Architecture.X86_64 : Architecture.ARM_64
}

/**
 * The architecture of functions: arm64 on AWS, because it costs less there. With LocalStack, which `cdklocal` names in
 * `AWS_ENDPOINT_URL`, it is the architecture of this machine, whose containers run the functions.
 */
export function functionArchitecture(environment: NodeJS.ProcessEnv = process.env): Architecture {
  return environment.AWS_ENDPOINT_URL ? machineArchitecture() : Architecture.ARM_64
}
