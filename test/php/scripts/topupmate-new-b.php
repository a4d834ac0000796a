<?php
// Newer Topupmate-shaped script buying in format B. Airtime, data, cable and electricity know pending; exams do not.

declare(strict_types=1);
require __DIR__ . '/topupmate.php';
[$address, $key, $service, $order] = settings();

function call(string $method, string $path, ?array $fields = null): ?array
{
    global $address, $key;
    return sendNewer($method, "$address$path", "Token $key", $fields);
}

function conclude(?array $reply, array $details = [], bool $hasPending = true): never
{
    $common = ['reference' => $reply['ident'] ?? null, 'balance' => $reply['balance_after'] ?? null];
    concludeNewer($reply, $common, $details, $hasPending);
}

switch ($service) {
    case 'airtime':
        conclude(call('POST', '/api/topup/', [
            'network' => $order['network'],
            'amount' => $order['amount'],
            'mobile_number' => $order['phone'],
            'Ported_number' => true,
            'request-id' => $order['id'],
            'airtime_type' => 'Share and Sell',
        ]));
    case 'data':
        conclude(call('POST', '/api/data/', [
            'network' => $order['network'],
            'mobile_number' => $order['phone'],
            'Ported_number' => true,
            'request-id' => $order['id'],
            'plan' => (string) $order['plan'],
        ]));
    case 'verify-cable':
        $reply = call('GET', "/api/validateiuc?smart_card_number={$order['iuc']}&cablename={$order['cable']}");
        empty($reply['invalid']) && !empty($reply['name']) ? tell('shown', $reply['name']) : tell('refused', $reply['msg'] ?? null);
    case 'cable':
        conclude(call('POST', '/api/cablesub/', [
            'cablename' => $order['cable'],
            'smart_card_number' => $order['iuc'],
            'cableplan' => $order['plan'],
        ]));
    case 'verify-meter':
        $query = http_build_query([
            'meternumber' => $order['meter'],
            'disconame' => $order['disco_name'],
            'mtype' => $order['meter_type'],
            'disco' => $order['disco'],
        ]);
        $reply = call('GET', "/api/validatemeter?$query");
        $name = $reply['Customer_Name'] ?? $reply['name'] ?? null;
        $name !== null ? tell('shown', $name, ['address' => $reply['address']]) : tell('refused', $reply['msg'] ?? null);
    case 'electricity':
        $reply = call('POST', '/api/billpayment/', [
            'disco_name' => $order['disco'],
            'meter_number' => $order['meter'],
            'MeterType' => $order['meter_type'],
            'amount' => (string) $order['amount'],
            'Customer_Phone' => $order['phone'],
        ]);
        conclude($reply, ['token' => $reply['token'] ?? null]);
    case 'exam':
        $reply = call('POST', '/api/epin/', ['exam_name' => $order['exam'], 'quantity' => $order['quantity']]);
        $pins = $reply['data_pin']['pin'] ?? $reply['pins'] ?? $reply['pin'] ?? $reply['token'] ?? '';
        conclude($reply, ['pins' => explode(',', $pins)], false);
    case 'recharge-card':
        // The address is a setting of the site.
        $reply = call('POST', $order['path'] ?? '/api/recharge_card/', [
            'network' => $order['network'],
            'quantity' => $order['quantity'],
            'plan' => $order['amount'],
            'network_amount' => $order['amount'],
            'businessname' => $order['card_name'],
            'name_on_card' => $order['card_name'],
            'ref' => $order['id'],
        ]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? ''), 'request_id' => $reply['ref'] ?? null], false);
    case 'data-card':
        $reply = call('POST', '/api/data_card', [
            'network' => $order['network'],
            'quantity' => $order['quantity'],
            'data_plan' => $order['plan'],
            'businessname' => $order['card_name'],
            'ref' => $order['id'],
        ]);
        conclude($reply, ['pins' => explode(',', $reply['pin'] ?? ''), 'serials' => explode(',', $reply['serial'] ?? '')], false);
}
