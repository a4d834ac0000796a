<?php
// ADEX-shaped script buying in format A. Before each sale it logs in with Basic and no body, then buys with the
// AccessToken. Its address ends in a slash of its own, so every path begins with two. It knows `success` and `fail`;
// any other status, and a reply that is no JSON, stays pending in its books.

declare(strict_types=1);
require __DIR__ . '/script.php';
[$address, $key, $service, $order] = settings();

function accessToken(): string
{
    global $address, $key;
    // POST without fields: PHP sends it chunked and empty.
    $login = [CURLOPT_POST => 1, CURLOPT_HTTPHEADER => ['Authorization: Basic ' . base64_encode($key)]];
    $reply = json_decode(send("$address/api/user/", $login));
    if (empty($reply->AccessToken)) {
        tell('refunded', 'The vendor cannot be reached.', ['step' => 'login']);
    }
    return trim(str_replace('Token', '', $reply->AccessToken));
}

function buy(string $path, array $fields): ?array
{
    global $address;
    return json_decode(send("$address$path", [
        CURLOPT_POST => 1,
        CURLOPT_POSTFIELDS => json_encode($fields),
        CURLOPT_HTTPHEADER => ['Authorization: Token ' . accessToken(), 'Content-Type: application/json'],
    ]), true);
}

function conclude(?array $reply, array $details = []): never
{
    if (empty($reply)) {
        tell('pending', null);
    }
    $common = ['reference' => $reply['transid'] ?? null, 'balance' => $reply['newbal'] ?? null];
    if ($reply['status'] == 'success') {
        tell('delivered', $reply['response'], [...$common, 'request_id' => $reply['request-id'], ...$details]);
    }
    if ($reply['status'] == 'fail') {
        tell('refunded', $reply['message'], $common);
    }
    tell('pending', $reply['message'], $common);
}

/** Splits what it has just paid for: an array here would be the end of it. */
function cards(?array $reply): array
{
    if (($reply['status'] ?? '') != 'success') {
        return [];
    }
    return [
        'pins' => explode(',', $reply['pin']),
        'serials' => explode(',', $reply['serial'] ?? ''),
        'load_pin' => $reply['load_pin'] ?? null,
    ];
}

switch ($service) {
    case 'airtime':
        conclude(buy('/api/topup/', [
            'network' => $order['network'],
            'phone' => $order['phone'],
            'plan_type' => 'VTU',
            'bypass' => true,
            'amount' => $order['amount'],
            'request-id' => 'Airtime_' . $order['id'],
        ]));
    case 'data':
        $reply = buy('/api/data/', [
            'network' => $order['network'],
            'phone' => $order['phone'],
            'data_plan' => $order['plan'],
            'bypass' => true,
            'request-id' => 'DATA_' . $order['id'],
        ]);
        conclude($reply, ['plan' => $reply['dataplan'] ?? null]);
    case 'verify-cable':
        // No key, no User-Agent, and no body at all when the answer is a 4xx.
        $reply = json_decode((string) @file_get_contents("$address/api/cable/cable-validation?iuc={$order['iuc']}&cable={$order['cable']}"));
        if (!empty($reply->name)) {
            tell('shown', $reply->name);
        }
        tell('refused', 'Could not verify this IUC number.');
    case 'cable':
        $reply = buy('/api/cable/', [
            'cable' => $order['cable'],
            'iuc' => $order['iuc'],
            'cable_plan' => $order['plan'],
            'bypass' => true,
            'request-id' => 'Cable_' . $order['id'],
        ]);
        conclude($reply, ['cable' => $reply['cable_name'] ?? null, 'plan' => $reply['plan_name'] ?? null]);
    case 'verify-meter':
        $query = "meter_type={$order['meter_type']}&disco={$order['disco']}&meter_number={$order['meter']}";
        $options = [CURLOPT_CONNECTTIMEOUT => 2, CURLOPT_USERAGENT => 'adex'];
        $reply = json_decode(send("$address/api/bill/bill-validation?$query", $options), true);
        if (isset($reply['name'])) {
            tell('shown', $reply['name'], ['invalid' => $reply['invalid']]);
        }
        tell('refused', $reply['message'] ?? 'Could not verify this meter.');
    case 'electricity':
        $reply = buy('/api/bill/', [
            'disco' => $order['disco'],
            'meter_type' => strtolower($order['meter_type']),
            'meter_number' => $order['meter'],
            'amount' => $order['amount'],
            'bypass' => true,
            'request-id' => 'Bill_' . $order['id'],
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        // Exams, cards and texts carry no request-id.
        $reply = buy('/api/exam/', ['exam' => $order['exam'], 'quantity' => (string) $order['quantity']]);
        // Nothing here reads `serial`: what is shown to the customer is `pin` as it comes.
        conclude($reply, ['pins' => explode(',', (string) ($reply['pin'] ?? ''))]);
    case 'recharge-card':
    case 'data-card':
        $reply = buy($service === 'data-card' ? '/api/data_card/' : '/api/recharge_card/', [
            'network' => $order['network'],
            'quantity' => $order['quantity'],
            'plan_type' => $order['plan'],
            'card_name' => $order['card_name'],
        ]);
        conclude($reply, cards($reply));
    case 'sms':
        $reply = buy('/api/bulksms/', ['sender' => $order['sender'], 'number' => $order['numbers'], 'message' => $order['message']]);
        conclude($reply, ['total' => $reply['total_number'] ?? null, 'correct' => $reply['correct_number'] ?? null]);
}
