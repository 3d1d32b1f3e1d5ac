import { LambdaIntegration, ResponseTransferMode, type RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Duration } from 'aws-cdk-lib/core'
import { type FunctionDeclaration, routesOf } from '#functions/manifest.ts'

/**
 * The routes of one function: a resource for each path, a method for each way to an endpoint. A function is permitted
 * to the API once, not once per method: a hundred permissions would neither fit into its policy (20 KB) nor,
 * with their resources, into a stack (500).
 */
export function addRoutes(api: RestApi, declaration: FunctionDeclaration, target: IFunction): void {
  const integration = new LambdaIntegration(target, {
    scopePermissionToMethod: false,
    ...(declaration.streams && {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: Duration.seconds(declaration.timeoutSeconds),
    }),
  })
  for (const { method, path } of routesOf(declaration)) {
    api.root.resourceForPath(path).addMethod(method, integration)
  }
}
