<?php
// Older Topupmate-shaped script buying in format A. The admin pastes the key as it is, so the login carries it raw behind
// `Basic` and two spaces. The body is glued from form values, where a false becomes an empty text. It has no word for
// pending: what is not `success` is refunded, so only a late answer saves a slow sale.

declare(strict_types=1);
require __DIR__ . '/topupmate.php';
[$address, $key, $service, $order] = settings();

function call(string $method, string $path, string $authorization, ?string $body = null): ?object
{
    global $address;
    return sendOlder($method, "$address$path", ["Authorization: $authorization", 'Content-Type: application/json'], $body);
}

function buy(string $path, string $body): ?object
{
    global $key;
    $login = call('GET', '/api/user/', "Basic  $key");
    return call('POST', $path, 'Token ' . ($login->AccessToken ?? ''), $body);
}

function conclude(?object $reply, array $details = []): never
{
    $common = ['reference' => $reply->transid ?? null, 'balance' => $reply->newbal ?? null];
    if (isset($reply->status) && ($reply->status == 'successful' || $reply->status == 'success')) {
        tell('delivered', $reply->msg, [...$common, ...$details]);
    }
    tell('refunded', $reply->msg ?? 'Network error.', $common);
}

$ported = '';
switch ($service) {
    case 'airtime':
        conclude(buy('/api/topup/', '{
            "network": "' . $order['network'] . '",
            "amount": "' . $order['amount'] . '",
            "phone": "' . $order['phone'] . '",
            "bypass": "' . $ported . '",
            "request-id" : "' . $order['id'] . '",
            "plan_type": "VTU"
        }'));
    case 'data':
        $reply = buy('/api/data/', '{
            "network": "' . $order['network'] . '",
            "phone": "' . $order['phone'] . '",
            "bypass": "' . $ported . '",
            "request-id": "' . $order['id'] . '",
            "data_plan": "' . $order['plan'] . '"
        }');
        conclude($reply);
    case 'verify-cable':
        $reply = call('GET', "/api/cable/cable-validation?iuc={$order['iuc']}&cable={$order['cable']}", "Basic  $key");
        isset($reply->name) && $reply->status == 'success' ? tell('shown', $reply->name) : tell('refused', $reply->msg ?? null);
    case 'cable':
        conclude(buy('/api/cable/', '{
            "cable": "' . $order['cable'] . '",
            "iuc": "' . $order['iuc'] . '",
            "cable_plan": "' . $order['plan'] . '",
            "bypass": "' . $ported . '",
            "request-id": "' . $order['id'] . '"
        }'));
    case 'electricity':
        $reply = buy('/api/bill/', '{
            "disco": "' . $order['disco'] . '",
            "meter_type": "' . $order['meter_type'] . '",
            "meter_number": "' . $order['meter'] . '",
            "bypass": "' . $ported . '",
            "request-id": "' . $order['id'] . '",
            "amount": "' . $order['amount'] . '"
        }');
        conclude($reply, ['token' => $reply->token ?? null]);
    case 'exam':
        $reply = buy('/api/exam/', '{
            "exam": "' . $order['exam'] . '",
            "quantity": "' . $order['quantity'] . '"
        }');
        conclude($reply, ['pins' => explode(',', $reply->pin ?? '')]);
    case 'recharge-card':
        $reply = buy('/api/recharge_card', '{
            "network": "' . $order['network'] . '",
            "amount": "' . $order['amount'] . '",
            "quantity": "' . $order['quantity'] . '",
            "name_on_card": "' . $order['card_name'] . '",
            "ref": "' . $order['id'] . '"
        }');
        conclude($reply, ['pins' => explode(',', $reply->pin ?? ''), 'serials' => explode(',', $reply->serial ?? '')]);
}
