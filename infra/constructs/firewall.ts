import type { Stage } from 'aws-cdk-lib/aws-apigateway'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2'
import { ArnFormat, type RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import { errorEnvelope, gatewayAnswers, gatewayHeaders } from '../gateway-answers.ts'
import { uniqueName } from '../retention.ts'

/**
 * Rules of AWS's common set that only count. Request bodies here are documents, mails and HTML, which normally
 * contain the patterns of these rules. The first rule would refuse every upload above 8 KB. Programs may call the API
 * without a user agent.
 */
const countedRules = [
  'SizeRestrictions_BODY',
  'CrossSiteScripting_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'EC2MetaDataSSRF_BODY',
  'NoUserAgent_HEADER',
  // Query strings contain names of cases: "Meier ./. Müller" looks like a path.
  'SizeRestrictions_QUERYSTRING',
  'CrossSiteScripting_QUERYARGUMENTS',
  'GenericLFI_QUERYARGUMENTS',
  'GenericRFI_QUERYARGUMENTS',
  'EC2MetaDataSSRF_QUERYARGUMENTS',
  'RestrictedExtensions_QUERYARGUMENTS',
]

/** The form of an API key in a header, whether it is valid or guessed. */
const apiKey = '^[Bb][Ee][Aa][Rr][Ee][Rr] +[Aa][Kk]_[0-9A-Fa-f-]{36}_[A-Za-z0-9_-]{43}$'

/**
 * The pages for signers and for the verification of sealed files, which need no API key: `/sign/…`, `/verify` and
 * `/api/v1/signing/verify`. If the stage has no domain, the path begins with the name of the stage.
 */
const publicSigningPaths = '^(/[a-z]+)?/(sign/.*|verify|api/v1/signing/verify)/?$'

/** A visit takes about thirty requests, with twenty documents. Several signers may share an address. */
const signingRequestsPerMinuteAndAddress = 200

const tooManyRequests = 'too-many-requests'
const requestId = 'firewall'

/**
 * The web application firewall in front of a stage of the API. It has:
 *
 * - A limit for each API key, so that offices behind one address do not share a limit.
 * - A limit per address for requests without a key, and a lower one for the public signing pages, on which somebody
 *   might guess links or digests.
 * - AWS's list of bad addresses, and AWS's common rules.
 *
 * Its log holds the requests that it refused or counted, without parts that may be secret: paths and queries contain
 * tokens, headers contain keys, bodies are documents and mails. WAF logs the first 32 characters of the value by which
 * it counts. In a key these characters end within the key's id.
 *
 * WAF cannot fill a request id into its own answer, so the answer holds a constant; the header `x-amzn-requestid`
 * identifies the request.
 */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: {
      name: string
      requestsPerMinuteAndKey: number
      requestsPerMinuteAndAddress: number
      log: { retention: number; removalPolicy: RemovalPolicy }
      protects: Stage
    },
  ) {
    super(scope, id)
    const acl = new CfnWebACL(this, 'Acl', {
      name: props.name,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(props.name),
      customResponseBodies: {
        [tooManyRequests]: {
          contentType: 'APPLICATION_JSON',
          content: errorEnvelope(gatewayAnswers.tooManyAtFirewall, requestId),
        },
      },
      // Details of a match quote what matched. `redactedFields` does not cover them for rules that read bodies or single
      // arguments of a query.
      dataProtectionConfig: {
        dataProtections: ['BODY', 'QUERY_STRING'].map((fieldType) => ({
          field: { fieldType },
          action: 'SUBSTITUTION',
        })),
      },
      rules: [
        limited(0, 'requests-per-key', {
          limit: props.requestsPerMinuteAndKey,
          aggregateKeyType: 'CUSTOM_KEYS',
          customKeys: [
            {
              header: {
                name: 'authorization',
                // The service accepts the key after any number of spaces, and its id in upper or lower case: all
                // these forms are one key.
                textTransformations: [
                  { priority: 0, type: 'COMPRESS_WHITE_SPACE' },
                  { priority: 1, type: 'LOWERCASE' },
                ],
              },
            },
          ],
          scopeDownStatement: hasKey,
        }),
        limited(1, 'requests-per-address', {
          limit: props.requestsPerMinuteAndAddress,
          scopeDownStatement: { notStatement: { statement: hasKey } },
        }),
        limited(2, 'signing-requests-per-address', {
          limit: Math.min(signingRequestsPerMinuteAndAddress, props.requestsPerMinuteAndAddress),
          scopeDownStatement: {
            regexMatchStatement: {
              fieldToMatch: { uriPath: {} },
              regexString: publicSigningPaths,
              // The gateway matches the decoded path.
              textTransformations: [{ priority: 0, type: 'URL_DECODE' }],
            },
          },
        }),
        managedRules(3, 'AWSManagedRulesAmazonIpReputationList'),
        managedRules(4, 'AWSManagedRulesCommonRuleSet', countedRules),
      ],
    })
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: props.protects.stageArn,
      webAclArn: acl.attrArn,
    })
    // WAF writes only to log groups with this prefix.
    const logGroupName = uniqueName(this, `aws-waf-logs-${props.name}`)
    const log = new LogGroup(this, 'Log', { ...props.log, logGroupName })
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // The ARN as WAF documents it. `logGroupArn` ends in `:*`.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      redactedFields: [
        { uriPath: {} },
        { queryString: {} },
        ...secretHeaders.map((name) => ({ singleHeader: { Name: name } })),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({
              ActionCondition: { Action },
            })),
          },
        ],
      },
    })
  }
}

/** Headers that contain a key, a token, or an address with a token. */
const secretHeaders = ['authorization', 'cookie', 'referer', 'x-service-token', 'idempotency-key']

const hasKey: CfnWebACL.StatementProperty = {
  regexMatchStatement: {
    fieldToMatch: { singleHeader: { Name: 'authorization' } },
    regexString: apiKey,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
}

/**
 * A limit of requests per minute and address (or per the key that `rate` names). Further requests get 429.
 */
function limited(
  priority: number,
  name: string,
  rate: Omit<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType'> & { aggregateKeyType?: string },
): CfnWebACL.RuleProperty {
  const { status, ...answer } = gatewayAnswers.tooManyAtFirewall
  return {
    name,
    priority,
    statement: { rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: 60, ...rate } },
    action: {
      block: {
        customResponse: {
          responseCode: status,
          customResponseBodyKey: tooManyRequests,
          responseHeaders: Object.entries({ 'X-Request-Id': requestId, ...gatewayHeaders(answer) }).map(
            ([header, value]) => ({ name: header, value }),
          ),
        },
      },
    },
    visibilityConfig: visibility(name),
  }
}

function managedRules(
  priority: number,
  name: string,
  counted: readonly string[] = [],
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ...(counted.length > 0 && {
          ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
        }),
      },
    },
    visibilityConfig: visibility(name),
  }
}

/** Metrics without samples: a sampled request would show its keys and tokens in the console. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false }
}
